// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// StoreAccess has the credentials of a host's netmaster for a store beside it: paths of files, and a user.
type StoreAccess struct {
	CAFile, CertFile, KeyFile     string
	User, PasswordFile, TokenFile string
}

// Check returns an error if netmaster could not use the credentials with a store.
func (a *StoreAccess) Check(s model.StoreSettings) error {
	if s.Kind != "etcd" && s.Kind != "consul" {
		if *a != (StoreAccess{}) {
			return errors.New("--store-ca and the other --store flags are for an external store, and this store is embedded: remove them, or name a store with --etcd-endpoints or --consul-endpoints")
		}
		return nil
	}
	for _, u := range s.URLs {
		if strings.HasPrefix(u, "https://") && a.CAFile == "" {
			return fmt.Errorf("%s uses TLS, and its certificate authority is unknown: add --store-ca", u)
		}
	}
	switch {
	case (a.CertFile == "") != (a.KeyFile == ""):
		return errors.New("--store-cert and --store-key must be set together: set both or none")
	case (a.User == "") != (a.PasswordFile == ""):
		return errors.New("--store-user and --store-password-file must be set together: set both or none")
	case a.User != "" && s.Kind != "etcd":
		return errors.New("--store-user is for etcd: use --store-token-file for Consul")
	case a.TokenFile != "" && s.Kind != "consul":
		return errors.New("--store-token-file is for Consul: use --store-user and --store-password-file for etcd")
	}
	for flag, path := range map[string]string{"store-ca": a.CAFile, "store-cert": a.CertFile, "store-key": a.KeyFile, "store-password-file": a.PasswordFile, "store-token-file": a.TokenFile} {
		if path == "" {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
		_ = f.Close()
	}
	return nil
}

// env adds the settings of netmaster for the store.
func (a *StoreAccess) env(out Env) {
	for name, value := range map[string]string{"CA": a.CAFile, "CERT": a.CertFile, "KEY": a.KeyFile, "USER": a.User, "PASSWORD_FILE": a.PasswordFile, "TOKEN_FILE": a.TokenFile} {
		if value != "" {
			out["CONTIV_NETMASTER_STORE_"+name] = value
		}
	}
}
