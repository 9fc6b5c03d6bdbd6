pytest_plugins = ["pytest_bellhop.plugin", "pytester"]
