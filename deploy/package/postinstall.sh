#!/bin/sh
# The service is not started: edit /etc/bellhop/bellhop.env, then run "systemctl enable --now bellhop". After an upgrade a
# running service is restarted.
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart bellhop.service || true
fi
