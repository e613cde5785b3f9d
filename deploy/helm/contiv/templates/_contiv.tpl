{{- /* contiv.namespace is the namespace of all objects. */ -}}
{{- define "contiv.namespace" -}}
{{ .Values.namespace.name | default .Release.Namespace }}
{{- end }}

{{- /* contiv.image is the reference of the image of the programs. */ -}}
{{- define "contiv.image" -}}
{{ include "contiv.reference" (list .Values.image .Chart.AppVersion) }}
{{- end }}

{{- /* contiv.reference is the reference of an image, whose values and default tag are the arguments. */ -}}
{{- define "contiv.reference" -}}
{{- $version := index . 1 -}}
{{- with index . 0 -}}
{{- $tag := .tag }}{{ if not .digest }}{{ $tag = .tag | default $version }}{{ end -}}
{{ .repository }}{{ with $tag }}:{{ . }}{{ end }}{{ with .digest }}@{{ . }}{{ end }}
{{- end }}
{{- end }}

{{- /* contiv.labels are the labels of a part, whose name is the argument. */ -}}
{{- define "contiv.labels" -}}
app.kubernetes.io/name: {{ . }}
app.kubernetes.io/part-of: contiv
{{- end }}

{{- /* contiv.host is the node's address in a URL. */ -}}
{{- define "contiv.host" -}}
{{ ternary "[$(HOST_IP)]" "$(HOST_IP)" .Values.network.ipv6Nodes }}
{{- end }}

{{- /* contiv.unprivileged is the security context of a container that needs nothing of its node; "root": netmaster's, whose embedded store is root's. */ -}}
{{- define "contiv.unprivileged" -}}
{{- $user := eq .Values.store.kind "embedded" | ternary 0 65534 -}}
runAsUser: {{ $user }}
runAsGroup: {{ $user }}
{{ include "contiv.confined" . }}
{{- end }}

{{- define "contiv.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- /* contiv.settings are the programs' environment variables. */ -}}
{{- define "contiv.settings" -}}
{{- $n := .Values.network -}}
{{- $s := dict
  "CONTIV_NETMASTER_MODE" "kubernetes"
  "CONTIV_NETMASTER_NET_MODE" $n.mode
  "CONTIV_NETMASTER_FORWARD_MODE" $n.forwarding
  "CONTIV_NETMASTER_POD_SUBNETS" (join "," $n.podSubnets)
  "CONTIV_NETPLUGIN_MODE" "kubernetes"
  "CONTIV_NETPLUGIN_NET_MODE" $n.mode
  "CONTIV_NETPLUGIN_FORWARD_MODE" $n.forwarding
  "CONTIV_NETPLUGIN_CNI_CONF_DIR" "/etc/cni/net.d"
  "CONTIV_NETPLUGIN_CNI_BIN_DIR" "/opt/cni/bin"
  "CONTIV_NETPLUGIN_CNI_CONF_STAYS" "true"
  "CONTIV_NETPLUGIN_CLUSTER_DOMAIN" $n.clusterDomain
  "CONTIV_NETPLUGIN_NETMASTERS" (join "," .Values.netplugin.netmasters) -}}
{{- with $n.vtep }}{{ $_ := set $s "CONTIV_NETPLUGIN_VTEP_IP" . }}{{ end -}}
{{- with $n.uplinks }}{{ $_ := set $s "CONTIV_NETPLUGIN_VLAN_UPLINKS" (join "," .) }}{{ end -}}
{{- with $n.loadBalancerNetwork }}{{ $_ := set $s "CONTIV_NETMASTER_LOAD_BALANCER_NETWORK" . }}{{ end -}}
{{- if not $n.services }}{{ $_ := set $s "CONTIV_NETPLUGIN_SERVICES" "off" }}{{ end -}}
{{- $namespace := include "contiv.namespace" . -}}
{{- if ne $namespace "contiv-system" }}{{ $_ := set $s "CONTIV_NETMASTER_AGENTS_ACCOUNT" (printf "%s:netplugin" $namespace) }}{{ end -}}
{{- with .Values.store -}}
{{- if eq .kind "embedded" -}}
{{- $_ := set $s "CONTIV_NETMASTER_EMBEDDED_STORE" "/var/lib/contiv/store" -}}
{{- $_ := set $s "CONTIV_NETPLUGIN_CLOSED_PORTS" "tcp/2380,tcp/6667" -}}
{{- $members := list }}{{ range $node, $url := .members }}{{ $members = append $members (printf "%s=%s" $node $url) }}{{ end -}}
{{- with $members }}{{ $_ := set $s "CONTIV_NETMASTER_EMBEDDED_CLUSTER" (join "," .) }}{{ end -}}
{{- else -}}
{{- $_ := set $s (printf "CONTIV_NETMASTER_%s_ENDPOINTS" (upper .kind)) (join "," .endpoints) -}}
{{- if .tlsSecret -}}
{{- $_ := set $s "CONTIV_NETMASTER_STORE_CA" "/etc/contiv/store/ca.crt" -}}
{{- $_ := set $s "CONTIV_NETMASTER_STORE_CERT" "/etc/contiv/store/tls.crt" -}}
{{- $_ := set $s "CONTIV_NETMASTER_STORE_KEY" "/etc/contiv/store/tls.key" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml (mergeOverwrite $s .Values.settings) }}
{{- end }}

{{- /* contiv.checksums are annotations of pods: pods are replaced when a setting or the authority changes. */ -}}
{{- define "contiv.checksums" -}}
checksum/settings: {{ include "contiv.settings" . | sha256sum }}
{{- with .Values.authority.certificate }}
checksum/authority: {{ printf "%s%s" . $.Values.authority.key | sha256sum }}
{{- end }}
{{- end }}

{{- /* contiv.check refuses values that contradict each other, with the remedy. */ -}}
{{- define "contiv.check" -}}
{{- with .Values -}}
{{- if not .netplugin.netmasters }}{{ fail "netplugin.netmasters: got none, want the addresses of netmasters, such as 10.254.1.1:9999: those of the nodes of the control plane" }}{{ end -}}
{{- if and .namespace.create (eq (include "contiv.namespace" $) $.Release.Namespace) }}{{ fail "namespace.create: the namespace of the release has to exist before it; want namespace.name to name another one, or --create-namespace" }}{{ end -}}
{{- if ne (empty .authority.certificate) (empty .authority.key) }}{{ fail "authority.certificate, authority.key: got one of them, want both or none" }}{{ end -}}
{{- if eq .store.kind "embedded" -}}
{{- if .store.endpoints }}{{ fail "store.endpoints: got some with store.kind embedded, want none, or the kind etcd or consul" }}{{ end -}}
{{- if .store.tlsSecret }}{{ fail "store.tlsSecret: got one with store.kind embedded, which the cluster's authority certifies; want none" }}{{ end -}}
{{- if eq (len .store.members) 2 }}{{ fail "store.members: got 2, which stop when one fails; want none or three" }}{{ end -}}
{{- else -}}
{{- if not .store.endpoints }}{{ fail (printf "store.endpoints: got none, want the URLs of the members of %s" .store.kind) }}{{ end -}}
{{- if .store.members }}{{ fail (printf "store.members: got some with store.kind %s, want none" .store.kind) }}{{ end -}}
{{- end -}}
{{- if and (eq .network.mode "vlan") (not .network.uplinks) }}{{ fail "network.uplinks: got none with network.mode vlan, want the NICs that carry VLANs" }}{{ end -}}
{{- end -}}
{{- end }}
