# Restores the host when the package is purged.
booted && systemctl daemon-reload || true
[ "$1" = purge ] || exit 0
program=/var/lib/contiv/netplugin-uninstall
if [ -x "$program" ]; then
	(
		set -a
		for file in /etc/contiv/host/netplugin.env /etc/contiv/netplugin.env; do
			[ ! -O "$file" ] || . "$file" # another user could have created it
		done
		exec "$program" --uninstall once
	) || echo "not everything of contiv was removed from the switch and the kernel, as the lines above say; a restart of this machine removes the rest" >&2
	rm -f "$program"
fi
rm -f /etc/contiv/host/netplugin.env /etc/contiv/host/netplugin.started /etc/contiv/host/netplugin.removed /etc/contiv/netplugin.env /etc/contiv/trust/agent.pem /var/lib/contiv/docker-networks
rm -f /etc/contiv/cni/10-contiv.conflist /etc/contiv/host/contivk8s.sha256 /var/log/contiv/netplugin.last
rmdir /var/log/contiv 2>/dev/null || true
rmdir /etc/contiv/cni 2>/dev/null || true
rm -f /etc/systemd/system/multi-user.target.wants/contiv-netplugin.service /etc/systemd/system/ovs-vswitchd.service.d/contiv.conf
rmdir /etc/systemd/system/ovs-vswitchd.service.d 2>/dev/null || true
booted && systemctl daemon-reload || true
forget_host
