# Removes what the daemons of this host share, unless the other one or the data of the cluster stay.
forget_host() {
	if [ -e /etc/contiv/host/netmaster.env ] || [ -e /etc/contiv/host/netplugin.env ]; then
		return
	fi
	rm -f /etc/contiv/trust/user.pem /etc/contiv/trust/monitor.pem /etc/contiv/trust/revoked.crl /etc/contiv/cluster.hosts /etc/contiv/host/init-unfinished /etc/contiv/host/readdress
	if [ -e /var/lib/contiv/store ] || [ -e /var/lib/contiv/snapshots ]; then
		echo "remains: the data of the cluster in /var/lib/contiv, and its authority in /etc/contiv/trust: rm -rf /var/lib/contiv /etc/contiv removes both"
	else
		rm -f /etc/contiv/trust/ca.crt /etc/contiv/trust/ca.key /etc/contiv/trust/ca.key.previous /etc/contiv/cluster /etc/contiv/cluster.member
	fi
	for dir in /etc/contiv/host /etc/contiv/trust /etc/contiv /var/lib/contiv /run/contiv; do
		rmdir "$dir" 2>/dev/null || true
	done
}

# Reports whether systemd runs.
booted() { [ -d /run/systemd/system ]; }
