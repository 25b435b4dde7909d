# A capsule to try the skill in: no key, no network. Its driver plays the turns below.
name: try-__name__
version: "0.1.0"
artifacts:
  - { name: mur-driver-rehearsal, version: "0.1.0", runtime: driver }
  - { name: __name__, version: "0.1.0", runtime: skill }
inference:
  model: rehearsal
  driver:
    artifact: mur-driver-rehearsal
    config:
      turns:
        - call: { tool: __name__ }
        - say: "{{result}}"
