// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"fmt"
	"net/url"

	"github.com/containernetworking/cni/pkg/types"
)

// masterOf returns the netmaster in a network configuration, "" if there is none. The author of a configuration decides which netmaster the
// agent calls first, but not the request: a URL with more than a server is an error.
func masterOf(conf *Conf) (string, error) {
	if conf.Master == "" {
		return "", nil
	}
	u, err := url.Parse(conf.Master)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Opaque != "" ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", types.NewError(types.ErrInvalidNetworkConfig, fmt.Sprintf("master %q is not the URL of a netmaster", conf.Master),
			"it is like http://10.0.0.1:9999, without a user, a path or a query; without it the agent asks the registered netmasters")
	}
	return conf.Master, nil
}
