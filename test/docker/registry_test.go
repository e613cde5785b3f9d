// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// registry starts a registry on a host and returns its address there, which engines take without TLS. It ends with the test.
func registry(t *testing.T, l *lab.Lab, host string) string {
	t.Helper()
	const address = "127.0.0.1:5000"
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yml")
	text := fmt.Sprintf("version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: %s\nhttp:\n  addr: %s\n", dir, address)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd, err := l.Command(t.Context(), host, "docker-registry", "serve", config)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	within(t, 20*time.Second, func() error {
		_, err := on(t, l, host, "curl", "-sSf", "http://"+address+"/v2/")
		return err
	})
	return address
}
