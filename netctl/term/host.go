package term

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// settings are the files in which contiv init and contiv join, and then the operator, configure the netmasters. Later ones take precedence.
var settings = []string{"/etc/contiv/host/netplugin.env", "/etc/contiv/netplugin.env"}

// Hosts returns the base URLs of the netmasters of this host's cluster, joined by commas; "" if it belongs to none, or the user may not
// read the files. root is the directory above the files; "" is /.
func Hosts(root string) string {
	var urls []string
	for _, path := range settings {
		if list := variable(filepath.Join("/", root, path), "CONTIV_NETPLUGIN_NETMASTERS"); list != "" {
			urls = urls[:0]
			for address := range strings.SplitSeq(list, ",") {
				if !strings.Contains(address, "://") {
					address = "https://" + address
				}
				urls = append(urls, address)
			}
		}
	}
	return strings.Join(urls, ",")
}

// Getenv is os.Getenv, except that on a host of a cluster NETMASTER defaults to that cluster's netmasters.
func Getenv(name string) string {
	value := os.Getenv(name)
	if value == "" && name == "NETMASTER" {
		return Hosts("")
	}
	return value
}

// variable returns the value of a variable in a file of settings (systemd.exec(5), EnvironmentFile), "" if it is absent. Addresses need no
// quotes, and have none.
func variable(path, name string) (value string) {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), name+"="); ok {
			value = strings.Trim(rest, `"`)
		}
	}
	return value
}
