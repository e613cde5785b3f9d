// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"strings"

	"github.com/contiv/contiv/lab"
)

// demoPod is a pod of the demo, all of which are in namespace kiosk.
type demoPod struct{ name, host, label string }

func demoPodList() []demoPod {
	return []demoPod{{"api", "h1", "app=api"}, {"buyer", "h2", "role=buyer"}, {"guest", "h3", "role=guest"}}
}

// demoPodObjects are namespace, service, policy and pods, as input of kubectl.
func demoPodObjects() ([]byte, error) {
	type object = map[string]any
	items := []object{
		{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": "api", "namespace": "kiosk"},
			"spec": object{"selector": object{"app": "api"}, "ports": []object{{"port": 80, "targetPort": 8080}}}},
		{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": object{"name": "to-api", "namespace": "kiosk"},
			"spec": object{"podSelector": object{"matchLabels": object{"app": "api"}}, "policyTypes": []string{"Ingress"},
				"ingress": []object{{"from": []object{{"podSelector": object{"matchLabels": object{"role": "buyer"}}}}, "ports": []object{{"port": 8080}}}}}},
	}
	for _, p := range demoPodList() {
		key, value, _ := strings.Cut(p.label, "=")
		items = append(items, object{"apiVersion": "v1", "kind": "Pod",
			"metadata": object{"name": p.name, "namespace": "kiosk", "labels": object{key: value}},
			"spec": object{"nodeName": p.host, "terminationGracePeriodSeconds": 1, "containers": []object{{
				"name": "netexec", "image": lab.AgnhostImage, "args": []string{"netexec", "--http-port=8080"},
				"readinessProbe": object{"httpGet": object{"path": "/hostname", "port": 8080}, "periodSeconds": 1}}}}})
	}
	return json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
}
