#!/bin/sh
# Prepares a real Chroma to compare with: sh test/chroma/prepare-oracle.sh DIRECTORY
#
# The server inside the npm package `chromadb` needs a younger libc than Debian 12 has. This unpacks that of Debian 13
# into DIRECTORY, from the machine's own Debian source, and installs nothing. Then:
#   CHROMA_ORACLE=DIRECTORY/chroma npm test -- chroma
# `DIRECTORY/chroma PORT DATA` starts a server; stop it with SIGINT or SIGKILL (it does not heed SIGTERM).
set -eu
[ $# -eq 1 ] || { echo "give a directory to prepare" >&2; exit 2; }
mkdir -p "$1"
into=$(cd "$1" && pwd)
project=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$into/lists/partial" "$into/cache/archives/partial" "$into/root" "$into/packages"
touch "$into/status"

# The first Debian source of this machine that is not for security updates, with its suite changed.
source=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
  sed -n -e 's/^URIs: *//p' -e 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' | grep debian | grep -v security | head -n 1)
[ -n "$source" ] || { echo "this machine has no Debian source" >&2; exit 1; }
cat > "$into/trixie.sources" <<EOF
Types: deb
URIs: $source
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
EOF
options="-o Dir::Etc::sourcelist=$into/trixie.sources -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists=$into/lists
  -o Dir::Cache=$into/cache -o Dir::State::status=$into/status -o APT::Sandbox::User=$(id -un)"
apt-get $options update
(cd "$into/packages" && apt-get $options download libc6 libstdc++6 libgcc-s1)
for package in "$into"/packages/*.deb; do dpkg-deb -x "$package" "$into/root"; done

cat > "$into/chroma" <<EOF
#!/bin/sh
# chroma PORT DATA: a real Chroma on 127.0.0.1, which allows reset.
set -eu
mkdir -p "\$2"
printf 'port: %s\nlisten_address: "127.0.0.1"\nallow_reset: true\npersist_path: "%s/chroma-data"\n' "\$1" "\$2" > "\$2/chroma.yaml"
libraries=\$(echo "$into"/root/usr/lib/*-linux-gnu)
exec "\$libraries"/ld-linux-*.so.* --library-path "\$libraries" "\$(readlink -f "\$(command -v node)")" "$project/node_modules/chromadb/dist/cli.mjs" run "\$2/chroma.yaml"
EOF
chmod +x "$into/chroma"
echo "CHROMA_ORACLE=$into/chroma"
