/** The types of the catalogue, for clients: `createClient<Database>`. Made by `catalogue types`; do not edit. */
export type Database = {
  __InternalSupabase: {
    PostgrestVersion: '14';
  };
  public: {
    Tables: {
      products: {
        Row: {
          /** Identifier of the product; assigned when absent. */
          id: number;
          /** Name of the product. */
          product_name: string;
          /** 0 means not discontinued. */
          discontinued: number;
          /** Reference to a supplier. */
          supplier_id: number | null;
          /** Reference to a category. */
          category_id: number | null;
          /** Free text describing the quantity per unit. */
          quantity_per_unit: string | null;
          /** Price per unit. */
          unit_price: number | null;
          /** Units in stock. */
          units_in_stock: number | null;
          /** Units on order. */
          units_on_order: number | null;
          /** Stock level at which to reorder. */
          reorder_level: number | null;
        };
        /** Optional fields take their default, or null. */
        Insert: {
          /** Identifier of the product; assigned when absent. */
          id?: number;
          /** Name of the product. */
          product_name: string;
          /** 0 means not discontinued. */
          discontinued?: number;
          /** Reference to a supplier. */
          supplier_id?: number | null;
          /** Reference to a category. */
          category_id?: number | null;
          /** Free text describing the quantity per unit. */
          quantity_per_unit?: string | null;
          /** Price per unit. */
          unit_price?: number | null;
          /** Units in stock. */
          units_in_stock?: number | null;
          /** Units on order. */
          units_on_order?: number | null;
          /** Stock level at which to reorder. */
          reorder_level?: number | null;
        };
        Update: {
          /** Identifier of the product; assigned when absent. */
          id?: number;
          /** Name of the product. */
          product_name?: string;
          /** 0 means not discontinued. */
          discontinued?: number;
          /** Reference to a supplier. */
          supplier_id?: number | null;
          /** Reference to a category. */
          category_id?: number | null;
          /** Free text describing the quantity per unit. */
          quantity_per_unit?: string | null;
          /** Price per unit. */
          unit_price?: number | null;
          /** Units in stock. */
          units_in_stock?: number | null;
          /** Units on order. */
          units_on_order?: number | null;
          /** Stock level at which to reorder. */
          reorder_level?: number | null;
        };
        Relationships: [];
      };
    };
    Views: Record<never, never>;
    Functions: Record<never, never>;
    Enums: Record<never, never>;
    CompositeTypes: Record<never, never>;
  };
};
