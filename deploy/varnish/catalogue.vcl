# The catalogue at /api/ behind Varnish 7. Run varnishd with -p http_range_support=off: a Range here counts rows, not bytes.
vcl 4.1;

backend default {
  .host = "127.0.0.1";
  .port = "3000";
}

sub vcl_recv {
  if (req.url ~ "^/api/") {
    set req.url = regsub(req.url, "^/api", "");
    set req.http.X-Forwarded-Prefix = "/api";
  }
  # On loopback the service answers to names of this machine, or to those of --allowed-hosts.
  set req.http.X-Forwarded-Host = req.http.Host;
  set req.http.Host = "localhost";
  if (req.http.Range) {
    return (pass);
  }
}

sub vcl_backend_response {
  # Varnish takes no Content-Range that counts rows: it travels under another name.
  if (beresp.http.Content-Range) {
    set beresp.http.X-Content-Range = beresp.http.Content-Range;
    unset beresp.http.Content-Range;
  }
  # Kept, and asked for again each time: the service answers 304 while nothing has changed.
  if (beresp.http.Cache-Control == "no-cache" && beresp.http.ETag && !bereq.uncacheable) {
    set beresp.ttl = 1ms;
    set beresp.grace = 0s;
    set beresp.keep = 10m;
    return (deliver);
  }
}

sub vcl_deliver {
  if (resp.http.X-Content-Range) {
    set resp.http.Content-Range = resp.http.X-Content-Range;
    unset resp.http.X-Content-Range;
  }
}
