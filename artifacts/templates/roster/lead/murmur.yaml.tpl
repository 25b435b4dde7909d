name: __name__-lead
version: "0.1.0"
runtime: capsule
execution: static

artifacts:
  - name: __driver__
    version: "0.1.0"
    runtime: driver
    gateway:
      endpoint: "__endpoint__"
      api_key: "${__key__}"

capabilities:
  network: { allow: [localhost] }

network:
  authentication: { scheme: bearer }

lifecycle: { task_acceptance: single, after_task: exit }

inference:
  transport: http
  model: "__model__"
  max_tokens: 8192
  driver: { artifact: __driver__ }
  system_prompt: |
    You lead a formation. Hand the task to the member `worker` with the tool `call-member`, read its answer, and give the result.
