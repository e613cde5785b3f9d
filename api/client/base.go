// SPDX-License-Identifier: Apache-2.0

package client

import (
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Bases parses the netmaster setting of a user: a base URL, or several joined by commas. It returns them in the form of Client.Base. The
// error is a *model.Error of the field netmaster.
func Bases(list string) (string, error) {
	urls := strings.Split(list, ",")
	for i, url := range urls {
		urls[i] = strings.TrimSpace(url)
		if err := checkBase(urls[i]); err != nil {
			return "", err
		}
	}
	return strings.Join(urls, ","), nil
}

func checkBase(url string) error {
	if strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
		return nil
	}
	return model.Errorf(model.CodeInvalid, "netmaster", "netmaster URL %q is not valid", url).Try("it starts with http:// or https://")
}
