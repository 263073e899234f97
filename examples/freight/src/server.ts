import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { freightServer } from "./freight-server.ts";

// Over stdio; the environment says how: see `freightServer`.
serveStdio(freightServer(process.env));
