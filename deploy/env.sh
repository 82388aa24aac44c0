#!/bin/sh
# Writes .env for compose.yaml, with a new secret for everything that needs one. An .env that is there is left alone.
set -eu
cd "$(dirname "$0")/.."

if [ -e .env ]; then
  echo '.env is there already: nothing was changed.'
  exit 0
fi

secret() { head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

umask 077
draft=$(mktemp .env.XXXXXX)
trap 'rm -f "$draft"' EXIT
cat >"$draft" <<END
# Secrets of this installation, made by deploy/env.sh. Keep a copy where backups are kept: without ENCRYPTION_KEY the
# addresses and passwords of connected systems cannot be read any more.
POSTGRES_PASSWORD=$(secret)
REDIS_PASSWORD=$(secret)
S3_ACCESS_KEY_ID=portico
S3_SECRET_ACCESS_KEY=$(secret)
SEARXNG_SECRET=$(secret)
ENCRYPTION_KEY=$(secret)
END
# A link fails where another one was quicker.
ln "$draft" .env
echo '.env was written, with new secrets.'
