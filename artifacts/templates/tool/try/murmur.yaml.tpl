# A capsule to try the tool in: no key, no network. Its driver plays the turns below; the tools run for real.
name: try-__name__
version: "0.1.0"
artifacts:
  - { name: mur-driver-rehearsal, version: "0.1.0", runtime: driver }
  - { name: mur-tool-files, version: "0.1.0" }
  - { name: __name__, version: "0.1.0" }
inference:
  model: rehearsal
  driver:
    artifact: mur-driver-rehearsal
    config:
      turns:
        - call:
            tool: mur-tool-files
            input: { action: write, path: poem.txt, content: "The night watch walks\nand the pump keeps humming\n" }
        - call: { tool: __name__, input: { path: poem.txt } }
        - say: "{{result}}"
