/**
 * How the arguments of one operation become a request. The reader of documents makes it once; it is JSON, so that it can
 * be made in another thread. Styles and defaults of Swagger 2.0 and OpenAPI 3.x are filled in: the writer knows one form.
 */
export interface RequestPlan {
  /** In upper case, such as `GET`. */
  readonly method: string;
  /** The path below the base, such as `/pets/{id}`: literal texts, as the document writes them, and path parameters between. */
  readonly path: readonly (string | ParameterPlan)[];
  /** A base that the path or the operation names, relative to the source's: a path on the same origin. @default the source's base */
  readonly basePath?: string;
  /** Those in query, headers and cookies, in the order of the document. */
  readonly parameters: readonly ParameterPlan[];
  readonly body?: BodyPlan;
  /** The media types of the success answers, for `Accept`, such as `application/json`. */
  readonly accept?: string;
}

/** One parameter. https://spec.openapis.org/oas/v3.2.0.html#style-values has the table of styles. */
export interface ParameterPlan {
  /** Its name among the arguments. */
  readonly argument: string;
  /** Its name in the request. */
  readonly name: string;
  /** `querystring` (OpenAPI 3.2) is the whole query. */
  readonly in: "path" | "query" | "querystring" | "header" | "cookie";
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** Characters of RFC 3986's `reserved` stay as they are (query only). */
  readonly allowReserved?: boolean;
  /** It is one value of this media type, such as `application/json`, in place of a style. */
  readonly mediaType?: string;
}

/** `tabDelimited` is Swagger 2.0's `tsv`; `cookie` is of OpenAPI 3.2. */
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "tabDelimited"
  | "deepObject"
  | "cookie";

/** The body of a request. */
export interface BodyPlan {
  /** As the document writes it, such as `application/merge-patch+json`. */
  readonly mediaType: string;
  /** How its value is written. `bytes`: a `data:` URL or a text. */
  readonly kind: "json" | "form" | "multipart" | "text" | "bytes";
  /** The argument that is the body; or the arguments that are its properties. */
  readonly from: { readonly argument: string } | BodyProperties;
  /** Without any of its arguments the request has an empty object as its body, not none. */
  readonly isRequired: boolean;
  /** How properties of `form` and `multipart` are written, by their name in the body. */
  readonly encoding?: Readonly<Record<string, EncodingPlan>>;
}

export interface BodyProperties {
  /** Pairs of an argument and its property of the body. */
  readonly properties: readonly (readonly [argument: string, property: string])[];
  /** Arguments that nothing in the plan names are properties too: the schema allows others. */
  readonly takesOthers: boolean;
}

/** https://spec.openapis.org/oas/v3.2.0.html#encoding-object */
export interface EncodingPlan {
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  /** The media type of a part of `multipart`, or of a JSON value in `form`. */
  readonly mediaType?: string;
  /** It is a file: a valid `data:` URL is its bytes, any other string its text. */
  readonly isFile?: boolean;
}
