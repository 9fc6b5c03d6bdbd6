package helm_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/yaml"
)

const chartFolder = "../../deploy/helm/bellhop"

// object is a Kubernetes object.
type object = map[string]any

// TestLint runs the checks of "helm lint".
func TestLint(t *testing.T) {
	t.Parallel()
	result := lint.All(chartFolder, nil, "default", true)
	for _, m := range result.Messages {
		if m.Severity >= support.WarningSev {
			t.Errorf("%s: %v", m.Path, m.Err)
		}
	}
}

// render returns the objects of the chart with values, by their kinds. Two services are Service and Service-nodes.
func render(t *testing.T, text string) (map[string]object, error) {
	t.Helper()
	c, err := loader.Load(chartFolder)
	if err != nil {
		t.Fatal(err)
	}
	values, err := chartutil.ReadValues([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	release := chartutil.ReleaseOptions{Name: "chat", Namespace: "apps", IsInstall: true}
	all, err := chartutil.ToRenderValues(c, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	objects := map[string]object{}
	for name, file := range files {
		if strings.HasSuffix(name, ".txt") {
			continue
		}
		for part := range strings.SplitSeq(file, "\n---\n") {
			var o object
			if err := yaml.UnmarshalStrict([]byte(part), &o); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, part)
			}
			if len(o) == 0 {
				continue
			}
			kind, name := o["kind"].(string), at(o, "metadata", "name").(string)
			switch {
			case strings.HasSuffix(name, "-nodes"):
				kind += "-nodes"
			case strings.HasSuffix(name, "-world"):
				kind += "-world"
			}
			objects[kind] = o
		}
	}
	return objects, nil
}

// at returns a member of an object by its path. A list stands for its first element.
func at(value any, path ...string) any {
	for _, name := range path {
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		members, ok := value.(object)
		if !ok {
			return nil
		}
		value = members[name]
	}
	return value
}

// environment returns the variables of the container.
func environment(o object) map[string]string {
	variables := map[string]string{}
	list, _ := at(o, "spec", "template", "spec", "containers", "env").([]any)
	for _, v := range list {
		variables[v.(object)["name"].(string)], _ = v.(object)["value"].(string)
	}
	return variables
}

func TestObjects(t *testing.T) {
	t.Parallel()
	const secrets = "secrets: {values: {BELLHOP_POSTGRES: postgres://db/bellhop, BELLHOP_REDIS: redis://cache}}\n"
	for _, tt := range []struct{ name, values, want string }{
		{"one node", "", "NetworkPolicy Service Service-nodes StatefulSet"},
		{"several nodes", "replicas: 3\n" + secrets, "NetworkPolicy PodDisruptionBudget Secret Service Service-nodes StatefulSet"},
		{"a secret that exists", "replicas: 2\nsecrets: {existing: keys}", "NetworkPolicy PodDisruptionBudget Service Service-nodes StatefulSet"},
		{"autoscaling", "autoscaling: {enabled: true}\n" + secrets, "HorizontalPodAutoscaler NetworkPolicy PodDisruptionBudget Secret Service Service-nodes StatefulSet"},
		{"ingress", "ingress: {enabled: true, hosts: [bellhop.example]}", "Ingress NetworkPolicy Service Service-nodes StatefulSet"},
		{"a world", "world: 'users: []'", "NetworkPolicy Secret-world Service Service-nodes StatefulSet"},
		{"no disruption budget", "replicas: 3\npodDisruptionBudget: {enabled: false}\n" + secrets, "NetworkPolicy Secret Service Service-nodes StatefulSet"},
		{"no network policy", "networkPolicy: {enabled: false}", "Service Service-nodes StatefulSet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			objects, err := render(t, tt.values)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(objects)), " "); got != tt.want {
				t.Errorf("the chart has %s, want %s", got, tt.want)
			}
		})
	}
}

// TestSeveralNodesNeedDatabase checks that the chart refuses several nodes with a SQLite database each.
func TestSeveralNodesNeedDatabase(t *testing.T) {
	t.Parallel()
	for _, values := range []string{"replicas: 2", "autoscaling: {enabled: true}"} {
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), "BELLHOP_POSTGRES") {
			t.Errorf("%s: %v, want an error that names BELLHOP_POSTGRES", values, err)
		}
	}
}

func TestPod(t *testing.T) {
	t.Parallel()
	objects, err := render(t, "replicas: 3\nsecrets: {existing: keys}\ningress: {enabled: true, hosts: [bellhop.example]}\n"+
		"metrics: {enabled: true}\nattachments: {existingClaim: files}\nworld: 'users: []'\nenv: {BELLHOP_MEMORY: 1GiB}")
	if err != nil {
		t.Fatal(err)
	}
	pod := objects["StatefulSet"]
	want := map[string]string{
		"BELLHOP_DATA": "/data", "BELLHOP_LISTEN": "0.0.0.0:8080", "BELLHOP_PUBLIC_URL": "https://bellhop.example", "BELLHOP_MEMORY": "1GiB",
		"BELLHOP_METRICS_LISTEN": "0.0.0.0:9090", "BELLHOP_ATTACHMENTS": "/attachments", "BELLHOP_WORLD": "/etc/bellhop/world.yaml",
	}
	if got := environment(pod); !maps.Equal(got, want) {
		t.Errorf("environment %v, want %v", got, want)
	}
	container := []string{"spec", "template", "spec", "containers"}
	for _, tt := range []struct {
		path []string
		want any
	}{
		{[]string{"spec", "replicas"}, float64(3)},
		{[]string{"spec", "template", "spec", "securityContext", "runAsNonRoot"}, true},
		{append(container, "securityContext", "readOnlyRootFilesystem"), true},
		{append(container, "securityContext", "allowPrivilegeEscalation"), false},
		{append(container, "livenessProbe", "httpGet", "path"), "/healthz"},
		{append(container, "readinessProbe", "httpGet", "path"), "/readyz"},
		{append(container, "envFrom", "secretRef", "name"), "keys"},
		{append(container, "image"), "bellhop:0.1.0"},
	} {
		if got := at(pod, tt.path...); got != tt.want {
			t.Errorf("%s = %v, want %v", strings.Join(tt.path, "."), got, tt.want)
		}
	}
}

// TestImageDigest checks that a digest pins the image.
func TestImageDigest(t *testing.T) {
	t.Parallel()
	objects, err := render(t, "image: {repository: registry.example/bellhop, tag: 1.2.3, digest: 'sha256:0a'}")
	if err != nil {
		t.Fatal(err)
	}
	if got := at(objects["StatefulSet"], "spec", "template", "spec", "containers", "image"); got != "registry.example/bellhop@sha256:0a" {
		t.Errorf("the image is %v", got)
	}
}

// TestWorldIsSecret checks that the world file, which may contain tokens, is in a Secret and that the pod mounts it.
func TestWorldIsSecret(t *testing.T) {
	t.Parallel()
	objects, err := render(t, "world: 'users: []'")
	if err != nil {
		t.Fatal(err)
	}
	if got := at(objects["Secret-world"], "stringData", "world.yaml"); got != "users: []" {
		t.Errorf("the Secret has the world %v", got)
	}
	volumes := at(objects["StatefulSet"], "spec", "template", "spec")
	text, err := yaml.Marshal(volumes)
	if err != nil || !strings.Contains(string(text), "secretName: chat-bellhop-world") || strings.Contains(string(text), "configMap") {
		t.Errorf("volumes %s, %v", text, err)
	}
}

// TestNetworkPolicy checks which ports of the pods are reachable, and for whom.
func TestNetworkPolicy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, values, want string }{
		{"the service only", "", `ingress:
- ports:
  - port: http
`},
		{"metrics for the cluster", "metrics: {enabled: true}\nnetworkPolicy: {from: [{ipBlock: {cidr: 192.0.2.0/24}}]}", `ingress:
- from:
  - ipBlock:
      cidr: 192.0.2.0/24
  ports:
  - port: http
- from:
  - namespaceSelector: {}
  ports:
  - port: metrics
`},
		{"metrics for some, bounded connections", "metrics: {enabled: true}\nnetworkPolicy: {metricsFrom: [{podSelector: {}}], egress: [{ports: [{port: 443}]}]}", `egress:
- ports:
  - port: 443
ingress:
- ports:
  - port: http
- from:
  - podSelector: {}
  ports:
  - port: metrics
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			objects, err := render(t, tt.values)
			if err != nil {
				t.Fatal(err)
			}
			spec, _ := at(objects["NetworkPolicy"], "spec").(object)
			if at(spec, "podSelector", "matchLabels", "app.kubernetes.io/name") != "bellhop" {
				t.Errorf("the policy selects %v", spec["podSelector"])
			}
			delete(spec, "podSelector")
			delete(spec, "policyTypes")
			text, err := yaml.Marshal(spec)
			if err != nil || string(text) != tt.want {
				t.Errorf("policy\n%s%v, want\n%s", text, err, tt.want)
			}
		})
	}
}
