// SPDX-License-Identifier: Apache-2.0

package storetest

import "time"

// Eventually calls f until it returns no error and returns nil, or f's last error after the timeout.
func Eventually(timeout time.Duration, f func() error) error {
	for end := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		err := f()
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
