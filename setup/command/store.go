package command

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/setup"
)

// storeOptions are the flags of a store that replaces the embedded one, with the credentials of this host's netmaster.
type storeOptions struct {
	etcd, consul []string
	access       setup.StoreAccess
}

func (o *storeOptions) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&o.etcd, "etcd-endpoints", nil, "URLs of an etcd to use instead of the embedded store")
	f.StringSliceVar(&o.consul, "consul-endpoints", nil, "URLs of a Consul to use instead of the embedded store")
	f.StringVar(&o.access.CAFile, "store-ca", "", "certificate authority of that store, PEM; required for https URLs")
	f.StringVar(&o.access.CertFile, "store-cert", "", "client certificate for that store, PEM")
	f.StringVar(&o.access.KeyFile, "store-key", "", "key of --store-cert, PEM")
	f.StringVar(&o.access.User, "store-user", "", "user of an etcd with authentication")
	f.StringVar(&o.access.PasswordFile, "store-password-file", "", "file with the password of --store-user")
	f.StringVar(&o.access.TokenFile, "store-token-file", "", "file with the ACL token for a Consul")
}

// store returns the store that the flags name. It makes paths absolute, because netmaster has another working directory.
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

// own returns the store of a joining host: that of the cluster, at this host's own URLs if the flags have any.
func (o *storeOptions) own(given model.StoreSettings) func(model.StoreSettings) (model.StoreSettings, error) {
	return func(told model.StoreSettings) (model.StoreSettings, error) {
		if given.Kind == "embedded" {
			return told, o.access.Check(told)
		}
		if given.Kind != told.Kind {
			return told, fmt.Errorf("the cluster's store is %s: remove --%s-endpoints", told.Kind, given.Kind)
		}
		return given, o.access.Check(given)
	}
}
