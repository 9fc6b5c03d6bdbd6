#!/bin/sh
# Stops the service when the package is removed, not when it is upgraded. dpkg passes "remove", rpm passes 0.
set -e
if [ -d /run/systemd/system ]; then
  case "$1" in
    remove | 0) systemctl disable --now bellhop.service || true ;;
  esac
fi
