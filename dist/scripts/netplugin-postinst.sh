# Restarts a running agent, or starts the agent of a host from which the package was removed. On any other host nothing starts.
case "$1" in configure | abort-* | 1 | 2) ;; *) exit 0 ;; esac
booted || exit 0
systemctl daemon-reload
removed=/etc/contiv/host/netplugin.removed
if [ -e "$removed" ] || systemctl is-active --quiet contiv-netplugin.service; then
	rm -f "$removed"
	systemctl restart contiv-netplugin.service || echo "contiv-netplugin did not start: journalctl -u contiv-netplugin has details" >&2
elif [ ! -e /etc/contiv/host/netplugin.env ]; then
	echo "contiv-netplugin starts once this machine is a host of a cluster: contiv init makes a new cluster, contiv join adds it to one"
fi
