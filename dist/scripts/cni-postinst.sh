# Links the plugins into the directory where container runtimes look for them by default.
case "$1" in configure | abort-* | 1 | 2) ;; *) exit 0 ;; esac
mkdir -p /opt/cni/bin
for plugin in contivk8s netcontiv; do
	ln -sfn "/usr/lib/cni/$plugin" "/opt/cni/bin/$plugin"
done
