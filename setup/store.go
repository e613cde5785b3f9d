package setup

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// StoreAccess is how a host's netmaster knows a store beside it, and proves to it who it is: paths of files, and a user.
type StoreAccess struct {
	CAFile, CertFile, KeyFile     string
	User, PasswordFile, TokenFile string
}

// Check refuses what netmaster could not use with a store, before anything is changed.
func (a *StoreAccess) Check(s model.StoreSettings) error {
	if s.Kind != "etcd" && s.Kind != "consul" {
		if *a != (StoreAccess{}) {
			return errors.New("--store-ca and the like are for a store beside the netmasters, and this one is embedded: leave them out, or name a store with --etcd-endpoints or --consul-endpoints")
		}
		return nil
	}
	for _, u := range s.URLs {
		if strings.HasPrefix(u, "https://") && a.CAFile == "" {
			return fmt.Errorf("%s is spoken to over TLS, and nothing says which authority has certified it: add --store-ca", u)
		}
	}
	switch {
	case (a.CertFile == "") != (a.KeyFile == ""):
		return errors.New("--store-cert and --store-key go together: give both or none")
	case (a.User == "") != (a.PasswordFile == ""):
		return errors.New("--store-user and --store-password-file go together: give both or none")
	case a.User != "" && s.Kind != "etcd":
		return errors.New("--store-user is for an etcd; a Consul takes --store-token-file")
	case a.TokenFile != "" && s.Kind != "consul":
		return errors.New("--store-token-file is for a Consul; an etcd takes --store-user and --store-password-file")
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

// env adds what netmaster is told of it.
func (a *StoreAccess) env(out Env) {
	for name, value := range map[string]string{"CA": a.CAFile, "CERT": a.CertFile, "KEY": a.KeyFile, "USER": a.User, "PASSWORD_FILE": a.PasswordFile, "TOKEN_FILE": a.TokenFile} {
		if value != "" {
			out["CONTIV_NETMASTER_STORE_"+name] = value
		}
	}
}
