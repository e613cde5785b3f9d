# Stops the agent when the package is removed. The switch forwards as before.
case "$1" in remove | 0) ;; *) exit 0 ;; esac
if booted && systemctl is-active --quiet contiv-netplugin.service; then
	systemctl stop contiv-netplugin.service
	touch /etc/contiv/host/netplugin.removed
fi
[ -e /etc/contiv/host/netplugin.env ] || exit 0
if [ "$1" = remove ]; then
	# A purge needs the program, which is gone by then.
	mkdir -p /var/lib/contiv
	ln -f /usr/sbin/netplugin /var/lib/contiv/netplugin-uninstall 2>/dev/null || cp -p /usr/sbin/netplugin /var/lib/contiv/netplugin-uninstall
	echo "The containers of this host keep their network, which nothing maintains any more: apt purge contiv-netplugin removes it."
else
	echo "The containers of this host keep their network, which nothing maintains any more: netplugin --uninstall once, before the removal of the package, removes it."
fi
echo "Its cluster still counts this host: contiv leave, before the removal of the packages, or contiv leave $(hostname) on another host, takes it out."
