# The commands of the scripts of faults. $A, $B and $C are hosts; $A_IP, $A_VTEP and $A_N are addresses and number of $A.

# A command that fails is named.
set -E
trap 'echo "exit code $?: $BASH_COMMAND" >&2' ERR

lab() { contiv-lab --dir "$LABS" --name "$LAB" "$@"; }

# on HOST|CONTAINER COMMAND...
on() { lab exec "$1" -- "${@:2}"; }

# sh_on HOST|CONTAINER 'SHELL COMMANDS'
sh_on() { on "$1" sh -c "$2"; }

# outside COMMAND...: where the switches between the hosts are; their ports are h1-vtep, h1-trunk, ...
outside() { lab outside -- "$@"; }

# PART of a HOST: end, stop, start, keep from running
kill_part() { lab kill "$1" "$2"; }
stop_part() { lab stop "$1" "$2"; }
start_part() { lab start "$1" "$2" -- "${@:3}"; }
launch_part() { lab start --no-wait "$1" "$2" -- "${@:3}"; }
pause_part() { lab pause "$1" "$2"; }
resume_part() { lab resume "$1" "$2"; }

# container HOST NAME NETWORK [FLAG...]; remove NAME
container() { lab attach "$1" "$2" --network "$3" "${@:4}" > /dev/null; }
remove() { lab detach "$1"; }

# drop NAME 'RULE'...: a filter between the hosts, by nftables; undrop NAME
drop() {
	outside nft add table bridge "$1"
	outside nft add chain bridge "$1" forward '{ type filter hook forward priority 0 ; }'
	local rule
	for rule in "${@:2}"; do outside nft add rule bridge "$1" forward "$rule"; done
}
undrop() { outside nft delete table bridge "$1"; }

# refuse HOST NAME CHAIN 'RULE'...: a filter on a host; admit HOST NAME
refuse() {
	on "$1" nft add table inet "$2"
	on "$1" nft add chain inet "$2" "$3" "{ type filter hook $3 priority -400 ; }"
	local rule
	for rule in "${@:4}"; do on "$1" nft add rule inet "$2" "$3" "$rule"; done
}
admit() { on "$1" nft delete table inet "$2"; }

# keep NAME COMMAND...: it runs until unkeep NAME, which ends its input
keep() {
	rm -f "$STATE/$1"
	mkfifo "$STATE/$1"
	sleep 86400 > "$STATE/$1" 2> /dev/null &
	echo $! > "$STATE/$1.holder"
	"${@:2}" < "$STATE/$1" > "$STATE/$1.out" 2>&1 &
	echo $! > "$STATE/$1.pid"
}
unkeep() {
	kill "$(cat "$STATE/$1.holder")"
	local i
	for i in $(seq 100); do kill -0 "$(cat "$STATE/$1.pid")" 2> /dev/null || return 0; sleep 0.1; done
	return 1
}

# until_ok COMMAND...: repeat for up to 30 s
until_ok() {
	local i
	for i in $(seq 150); do "$@" > /dev/null 2>&1 && return 0; sleep 0.2; done
	"$@"
}

# no COMMAND...: it has to fail
no() { ! "$@"; }

# lead HOST: have its netmaster lead
lead() { until_ok netctl leader handover --to "$1"; }

# fill HOST FILE DIRECTORY PERCENT: write a file until its file system is so full
fill() {
	sh_on "$1" "set -- \$(df -k --output=size,used '$3' | tail -n 1); fallocate -l \$((\$1 * $4 / 100 - \$2))k '$2'"
}

# port_of HOST NAME: the port of a container in the switch
port_of() { on "$1" ovs-vsctl --bare --columns=name find interface "external_ids:contiv-container=lab-$2"; }

# certify HOST DAYS CA: give its agent a certificate that ends in DAYS days, of the lab's authority (cluster) or of another one (other)
certify() {
	local dir="$LAB_DIR/$1/trust" own="$STATE/certify-$1" days=$2
	rm -rf "$own" && mkdir -p "$own" && cp "$dir/agent.pem" "$own/kept.pem"
	openssl ecparam -name prime256v1 -genkey -noout -out "$own/key.pem"
	openssl req -new -key "$own/key.pem" -subj "/CN=$1" -out "$own/request.pem"
	printf 'subjectAltName=URI:spiffe://contiv/agent/%s,DNS:%s,DNS:localhost,IP:127.0.0.1,IP:%s\nextendedKeyUsage=clientAuth,serverAuth\nkeyUsage=critical,digitalSignature\n' "$1" "$1" "$4" > "$own/extensions"
	cp "$LAB_DIR/trust/ca.crt" "$own/ca.crt" && cp "$LAB_DIR/trust/ca.key" "$own/ca.key"
	if [ "$3" = other ]; then openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj /CN=other -keyout "$own/ca.key" -out "$own/ca.crt"; fi
	openssl x509 -req -in "$own/request.pem" -CA "$own/ca.crt" -CAkey "$own/ca.key" -CAcreateserial -days "$days" -extfile "$own/extensions" -out "$own/crt.pem"
	cat "$own/crt.pem" "$own/key.pem" > "$dir/agent.pem"
}
uncertify() { cp "$STATE/certify-$1/kept.pem" "$LAB_DIR/$1/trust/agent.pem"; }

# reversion HOST PROGRAM: the host has a build of another version of a program; unversion HOST PROGRAM
reversion() {
	local own version
	own="$LAB_DIR/$1/$2.other"
	version=$("$BIN/$2" --version 2>&1 | grep -o '[0-9]*\.[0-9]*\.[0-9]*[-.a-z0-9]*' | head -n 1)
	sed "s/${version//./\\.}/9${version:1}/g" "$BIN/$2" > "$own"
	chmod 755 "$own"
	on "$1" mount --bind "/run/lab/$2.other" "$BIN/$2"
}
unversion() { on "$1" umount "$BIN/$2"; }
