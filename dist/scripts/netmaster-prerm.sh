# Stops netmaster when the package is removed.
case "$1" in remove | 0) ;; *) exit 0 ;; esac
if booted && systemctl is-active --quiet contiv-netmaster.service; then
	systemctl stop contiv-netmaster.service
	touch /etc/contiv/host/netmaster.removed
	echo "The store of this netmaster stays in /var/lib/contiv. Its cluster still counts this netmaster: contiv leave, before the removal of the packages, takes it out."
fi
