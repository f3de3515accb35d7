"""Where the published vectors come from; `writer` makes the files of `tidegauge_spec/vectors`."""
