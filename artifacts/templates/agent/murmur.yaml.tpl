name: __name__
version: "0.1.0"
runtime: capsule
execution: static

artifacts:
  - name: __driver__
    version: "0.1.0"
    runtime: driver
    gateway:
      endpoint: "__endpoint__"
      api_key: "${__key__}" # looked up by the runtime; no guest, file or log ever holds it
  - name: mur-tool-files # list, read, write, edit, search in the work folder
    version: "0.1.0"

capabilities: # nothing that is not named here is granted
  limits: { memory_bytes: 67108864, deadline_seconds: 30 }

inference:
  model: "__model__"
  max_tokens: 8192
  max_turns: 20
  driver: { artifact: __driver__ }
  system_prompt: |
    You work on the text files of the work folder. Read before you write; say what you changed.
