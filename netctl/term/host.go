package term

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// settings are the files in which contiv init and contiv join, and then the operator, say where netmasters are. Each counts
// before the one ahead of it.
var settings = []string{"/etc/contiv/host/netplugin.env", "/etc/contiv/netplugin.env"}

// Hosts are the base URLs of the netmasters of the cluster that this machine is a host of, joined by commas; "" where it is
// part of none, or the files are not for the one who asks. root is the folder below which they are looked for; "" is /.
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

// Getenv is os.Getenv, but that on a host of a cluster NETMASTER is that cluster's unless the person has set it.
func Getenv(name string) string {
	value := os.Getenv(name)
	if value == "" && name == "NETMASTER" {
		return Hosts("")
	}
	return value
}

// variable is the value of a variable in a file of settings (systemd.exec(5), EnvironmentFile), "" when it is not there. Addresses
// need no quotes, and have none.
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
