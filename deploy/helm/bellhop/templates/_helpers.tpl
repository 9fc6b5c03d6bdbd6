{{- define "bellhop.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "bellhop.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "bellhop.labels" -}}
{{ include "bellhop.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "bellhop.secret" -}}
{{- .Values.secrets.existing | default (include "bellhop.name" .) }}
{{- end }}

{{- define "bellhop.publicUrl" -}}
{{- if .Values.publicUrl }}{{ .Values.publicUrl }}{{ else if and .Values.ingress.enabled .Values.ingress.hosts }}https://{{ first .Values.ingress.hosts }}{{ end }}
{{- end }}

{{- /* Several nodes share a database: SQLite is for one. */ -}}
{{- define "bellhop.several" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) }}yes{{ end }}
{{- end }}

{{- define "bellhop.check" -}}
{{- if and (include "bellhop.several" .) (not .Values.secrets.existing) (not (and .Values.secrets.values.BELLHOP_POSTGRES .Values.secrets.values.BELLHOP_REDIS)) }}
{{- fail "several replicas need BELLHOP_POSTGRES and BELLHOP_REDIS: set secrets.existing or secrets.values" }}
{{- end }}
{{- end }}

{{- define "bellhop.probe" -}}
httpGet: {path: {{ .path }}, port: http}
periodSeconds: {{ .periodSeconds }}
timeoutSeconds: {{ .timeoutSeconds }}
failureThreshold: {{ .failureThreshold }}
{{- end }}
