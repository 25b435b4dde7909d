name: __name__
version: 0.1.0
runtime: tool
# The model reads this to decide when to call the tool, and the schema to know how.
description: Counts the lines and words of a text file in the work folder, and finds its longest word.
input_schema:
  type: object
  properties:
    path: { type: string, description: "A text file, relative to the work folder, such as notes/plan.md." }
  required: [path]
build: { source: src/main.ts }
