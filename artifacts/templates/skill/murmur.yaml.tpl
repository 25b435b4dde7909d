name: __name__
version: 0.1.0
runtime: skill
description: How to leave a note that the next shift can act on. Read it before writing one.
