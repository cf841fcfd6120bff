"""The pipeline, one module a stage, in the order in which a recall runs through them."""
