#!/bin/sh
# Creates the user that the service runs as.
set -e
if ! getent passwd bellhop >/dev/null; then
  useradd --system --user-group --home-dir /var/lib/bellhop --no-create-home --shell /usr/sbin/nologin bellhop
fi
