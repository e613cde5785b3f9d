# Removes the mark of contiv init on a plugin that it installed before there was the package.
[ "$1" = purge ] || exit 0
rm -f /etc/contiv/host/contivk8s.sha256
