# A capsule to try the driver in. The endpoint is where a model would be asked; this driver does not ask yet.
name: try-__name__
version: "0.1.0"
artifacts:
  - name: __name__
    version: "0.1.0"
    runtime: driver
    gateway: { endpoint: "http://127.0.0.1:11434/v1", keyless: true }
inference:
  model: echo
  driver: { artifact: __name__, config: { prefix: "I heard: " } }
