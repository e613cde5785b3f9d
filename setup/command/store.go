// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/setup"
)

// storeOptions has the flags that name an external store instead of the embedded one, and this host's credentials for it.
type storeOptions struct {
	etcd, consul []string
	access       setup.StoreAccess
}

func (o *storeOptions) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&o.etcd, "etcd-endpoints", nil, "URLs of an etcd, instead of the embedded store")
	f.StringSliceVar(&o.consul, "consul-endpoints", nil, "URLs of a Consul, instead of the embedded store")
	f.StringVar(&o.access.CAFile, "store-ca", "", "certificate authority of that store, PEM; required for https URLs")
	f.StringVar(&o.access.CertFile, "store-cert", "", "client certificate for that store, PEM")
	f.StringVar(&o.access.KeyFile, "store-key", "", "key of --store-cert, PEM")
	f.StringVar(&o.access.User, "store-user", "", "user of an etcd that requires authentication")
	f.StringVar(&o.access.PasswordFile, "store-password-file", "", "file with the password of --store-user")
	f.StringVar(&o.access.TokenFile, "store-token-file", "", "file with the ACL token for a Consul")
}

// store returns the store that the flags name. It makes paths of files absolute: netmaster runs in another directory.
func (o *storeOptions) store() (model.StoreSettings, error) {
	out := model.StoreSettings{Kind: "embedded"}
	switch {
	case len(o.etcd) > 0 && len(o.consul) > 0:
		return out, errors.New("--etcd-endpoints and --consul-endpoints cannot be combined: name one store")
	case len(o.etcd) > 0:
		out = model.StoreSettings{Kind: "etcd", URLs: o.etcd}
	case len(o.consul) > 0:
		out = model.StoreSettings{Kind: "consul", URLs: o.consul}
	}
	for _, path := range []*string{&o.access.CAFile, &o.access.CertFile, &o.access.KeyFile, &o.access.PasswordFile, &o.access.TokenFile} {
		if *path == "" {
			continue
		}
		full, err := filepath.Abs(*path)
		if err != nil {
			return out, err
		}
		*path = full
	}
	return out, nil
}

// own returns a function that maps the cluster's store to the store of a joining host, with this host's URLs if flags give them.
func (o *storeOptions) own(given model.StoreSettings) func(model.StoreSettings) (model.StoreSettings, error) {
	return func(cluster model.StoreSettings) (model.StoreSettings, error) {
		if given.Kind == "embedded" {
			return cluster, o.access.Check(cluster)
		}
		if given.Kind != cluster.Kind {
			return cluster, fmt.Errorf("the cluster's store is %s, and --%s-endpoints names another: omit the flag", cluster.Kind, given.Kind)
		}
		return given, o.access.Check(given)
	}
}
