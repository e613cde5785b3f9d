// SPDX-License-Identifier: Apache-2.0

package term

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/contiv/contiv/configfile"
)

// Files in which contiv init and contiv join, and the operator, configure the netmasters: variables of the former, configuration files, variables of
// the operator. Later ones take precedence.
const (
	hostVariables = "/etc/contiv/host/netplugin.env"
	mainFile      = "/etc/contiv/netplugin.yaml"
	dropIns       = "/etc/contiv/conf.d"
	ownVariables  = "/etc/contiv/netplugin.env"
)

// Hosts returns the base URLs of the netmasters of this host's cluster, joined by commas; "" if it belongs to none, or the user may not
// read the files. root is the directory above the files; "" is /.
func Hosts(root string) string {
	at := func(path string) string { return filepath.Join("/", root, path) }
	list := variable(at(hostVariables), "CONTIV_NETPLUGIN_NETMASTERS")
	list = cmp.Or(key(entries(at(mainFile))), list)
	files, _ := configfile.Files(at(dropIns)) // no files if the user may not read them
	for _, path := range files {
		for _, e := range entries(path) {
			if e.Key == "netplugin" {
				list = cmp.Or(key(e.Value.Map), list)
			}
		}
	}
	list = cmp.Or(variable(at(ownVariables), "CONTIV_NETPLUGIN_NETMASTERS"), list)
	if list == "" {
		return ""
	}
	var urls []string
	for address := range strings.SplitSeq(list, ",") {
		if !strings.Contains(address, "://") {
			address = "https://" + address
		}
		urls = append(urls, address)
	}
	return strings.Join(urls, ",")
}

// entries are those of a configuration file; none if it cannot be read: its daemon reports the reason.
func entries(path string) []configfile.Entry {
	text, err := configfile.Read(path)
	if err != nil {
		return nil
	}
	out, _ := configfile.ParseMap(text)
	return out
}

// key returns the netmasters of the agent's settings, joined by commas.
func key(settings []configfile.Entry) string {
	var out []string
	for _, e := range settings {
		if e.Key == "netmasters" {
			for _, item := range e.Value.Items {
				out = append(out, item.Text)
			}
		}
	}
	return strings.Join(out, ",")
}

// Own returns the base URLs of the netmasters of this host's cluster, as Hosts does.
func Own() string { return Hosts("") }

// variable returns the value of a variable in a file of settings, "" if it is absent.
func variable(path, name string) (value string) {
	text, err := configfile.Read(path)
	if err != nil {
		return ""
	}
	for _, v := range configfile.ParseEnv(text) {
		if v.Name == name {
			value = v.Value
		}
	}
	return value
}
