"""The client's version."""

version = "0.1.0"
