name: __name__
version: 0.1.0
runtime: driver
description: Repeats what it is told.
# The header in which the model's server wants its key. The runtime puts it there, toward the endpoint of the gateway only.
upstream_auth: { header: authorization, value: "Bearer {key}" }
models:
  echo: { max_output_tokens: 8192, context_window: 200000 }
build: { source: src/main.ts }
