// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

// A host that has a certificate and was never registered is shut out by being forgotten; one that has neither is not there.
func TestForgetCertified(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	if _, err := m.Commit.Do(t.Context(), func(tx *commit.Tx) error {
		for serial, who := range map[string]string{"1": "agent/evil", "2": "agent/evil", "3": "agent/other", "4": "master/evil"} {
			c := &record.Certified{Serial: serial, Identity: "spiffe://contiv/" + who, Issued: time.Now(), Until: time.Now().Add(time.Hour)}
			if err := tx.Put(record.Certificates+serial, c); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	out, err := m.Forget(t.Context(), model.ForgetRequest{Host: "evil"})
	if err != nil || out.Host != "evil" || out.Revoked != 2 || out.Freed == nil || out.Endpoints == nil {
		t.Errorf("want two certificates revoked, got %+v, %v", out, err)
	}
	m.Catalog.View(func(v *catalog.View) {
		for serial, want := range map[string]bool{"1": true, "2": true, "3": false, "4": false} {
			if c := v.Certified(serial); c.Revoked.IsZero() == want {
				t.Errorf("certificate %s: want it revoked %t, got %+v", serial, want, c)
			}
		}
	})
	if _, err := m.Forget(t.Context(), model.ForgetRequest{Host: "evil"}); !client.IsCode(err, model.CodeNotFound) {
		t.Errorf("once more: want %d, got %v", http.StatusNotFound, err)
	}
}
