// SPDX-License-Identifier: Apache-2.0

package inspect

import "testing"

// Packets are labeled with an endpoint, and with its container if that has another name.
func TestCaptureNamesContainers(t *testing.T) {
	names := map[string]string{inNetwork("c1").String(): "c1", inNetwork("5e1f").String(): "web", inNetwork("b2").String(): "shop/web"}
	o := Options{Called: func(endpoint string) string { return names[endpoint] }}
	for id, want := range map[string]string{"c1": "", "5e1f": ", container web,", "b2": ", container shop/web,", "c4": ""} {
		of := inNetwork(id).String()
		if got := o.called(of); got != "endpoint "+of+want {
			t.Errorf("%s: want %q, got %q", id, "endpoint "+of+want, got)
		}
	}
}
