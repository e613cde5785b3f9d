# Removes the links of the plugins, and the directories if nothing else is there.
case "$1" in remove | 0) ;; *) exit 0 ;; esac
for plugin in contivk8s netcontiv; do
	[ "$(readlink "/opt/cni/bin/$plugin")" != "/usr/lib/cni/$plugin" ] || rm -f "/opt/cni/bin/$plugin"
done
rmdir /opt/cni/bin /opt/cni 2>/dev/null || true
