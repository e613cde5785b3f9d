# Removes what netmaster has written when the package is purged, apart from the store.
booted && systemctl daemon-reload || true
[ "$1" = purge ] || exit 0
rm -f /etc/contiv/host/netmaster.env /etc/contiv/host/netmaster.started /etc/contiv/host/netmaster.removed /etc/contiv/netmaster.env /etc/contiv/trust/master.pem
rm -f /etc/systemd/system/multi-user.target.wants/contiv-netmaster.service /var/log/contiv/netmaster.last
rmdir /var/log/contiv 2>/dev/null || true
booted && systemctl daemon-reload || true
forget_host
if [ ! -e /var/lib/contiv ] && getent passwd contiv >/dev/null; then
	userdel contiv || true # with its group; it owns no files any more
fi
