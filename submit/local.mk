# submit
