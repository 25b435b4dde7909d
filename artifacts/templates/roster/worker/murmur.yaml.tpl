name: __name__-worker
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

network:
  authentication: { scheme: bearer }

lifecycle: { task_acceptance: queue, after_task: sleep }

exports:
  peer_tasks: { accept: true }

inference:
  transport: http
  model: "__model__"
  max_tokens: 8192
  driver: { artifact: __driver__ }
  system_prompt: |
    You are the member `worker` of the formation `__name__`. Do the task you are given and answer with its result.
