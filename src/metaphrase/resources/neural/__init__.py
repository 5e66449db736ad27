"""One small ONNX encoder that aligns, compares and fills in words."""
