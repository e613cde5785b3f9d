# Restarts a running netmaster if the cluster works meanwhile, or starts the netmaster of a host from which the package was removed. On
# any other host nothing starts.
case "$1" in configure | abort-* | 1 | 2) ;; *) exit 0 ;; esac
systemd-sysusers contiv.conf
booted || exit 0
systemctl daemon-reload
removed=/etc/contiv/host/netmaster.removed
failed="contiv-netmaster did not start: journalctl -u contiv-netmaster has details"
if [ -e "$removed" ]; then
	rm -f "$removed"
	systemctl restart contiv-netmaster.service || echo "$failed" >&2
elif systemctl is-active --quiet contiv-netmaster.service; then
	if reason=$(contiv upgrade check 2>&1); then
		echo "contiv-netmaster restarts: $reason"
		systemctl restart contiv-netmaster.service || echo "$failed" >&2
	else
		echo "contiv-netmaster keeps its previous program: $reason"
	fi
elif [ ! -e /etc/contiv/host/netmaster.env ]; then
	echo "contiv-netmaster starts once this machine is a master of a cluster: contiv init makes a new cluster, contiv join --master adds it to one"
fi
