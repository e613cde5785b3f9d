package storetest

import "time"

// Eventually calls f until it returns no error and returns nil, or f's last error after the patience.
func Eventually(patience time.Duration, f func() error) error {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err := f()
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
