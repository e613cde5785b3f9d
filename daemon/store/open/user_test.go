// SPDX-License-Identifier: Apache-2.0

package open_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/open"
	"github.com/contiv/contiv/daemon/storeconfig"
)

// An etcd with authentication accepts the user with the password, and no one else.
func TestUserOfEtcd(t *testing.T) {
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	root, err := clientv3.New(clientv3.Config{Endpoints: []string{server.ClientURL()}, DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	ctx := t.Context()
	_, err1 := root.UserAdd(ctx, "root", "s3cret")
	_, err2 := root.UserGrantRole(ctx, "root", "root")
	_, err3 := root.AuthEnable(ctx)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]bool{"s3cret": true, "guess": false} {
		file := filepath.Join(t.TempDir(), "password")
		if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c := storeconfig.Config{Etcd: []string{server.ClientURL()}, Secret: storeconfig.Secret{User: "root", PasswordFile: file}}
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		db, err := open.Open(c, slog.New(slog.DiscardHandler))
		if err == nil {
			_, err = db.Read(ctx, "/contiv.io/x")
			if errors.Is(err, store.ErrNotFound) {
				err = nil
			}
			_ = db.Close()
		}
		if (err == nil) != want {
			t.Errorf("%s: want it let in: %v, got %v", password, want, err)
		}
	}
}
