// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Config has the address of the API server, and the credentials.
type Config struct {
	Kubeconfig string // path of a file whose current context applies; "": the service account of this pod
	// Server is the API server's own URL, "https://host:port"; "": the kubeconfig's. The URL of its service would need the network that is
	// built from what is read there.
	Server string
	Look   time.Duration // interval of checks whether the API server works, and their limit; 0: five seconds
}

// look returns Look, or its default.
func (c Config) look() time.Duration { return cmp.Or(c.Look, 5*time.Second) }

// Wanted reports whether an API server is configured.
func (c Config) Wanted() bool { return c.Kubeconfig != "" || c.Server != "" }

// Check validates the configuration. It reads no file.
func (c Config) Check() error {
	if c.Server == "" {
		return nil
	}
	if u, err := url.Parse(c.Server); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("%q is not a URL like https://192.0.2.1:6443", c.Server)
	}
	return nil
}

// client reads the files of the configuration. Tokens in files are read again as they are rotated.
func (c Config) client() (*rest.Config, error) {
	var out *rest.Config
	var err error
	if c.Kubeconfig != "" {
		out, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	} else {
		out, err = rest.InClusterConfig()
		if errors.Is(err, rest.ErrNotInCluster) {
			err = errors.New("this is no pod with a service account; name a kubeconfig")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("credentials of Kubernetes: %w", err)
	}
	if c.Server != "" {
		out.Host = c.Server
	}
	out.UserAgent = "contiv-netmaster"
	out.QPS = -1 // a handful of lists and watches needs no limit of its own
	out.AcceptContentTypes, out.ContentType = "application/vnd.kubernetes.protobuf,application/json", "application/vnd.kubernetes.protobuf"
	return out, nil
}
