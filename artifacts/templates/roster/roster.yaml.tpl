roster_version: 1
members:
  - { name: lead, capsule: __name__-lead, version: "0.1.0", entry: true }
  - { name: worker, capsule: __name__-worker, version: "0.1.0" }
reachability:
  - { from: lead, to: [worker] }
